"""SHA-256 of the content of published sets, independent of its compression.

For sets in TU format, hashes of the text files; for node sets, a hash of the arrays; for
tables of molecules, a hash of SMILES and targets.
"""

SHA256: dict[str, dict[str, str]] = {
    "MUTAG": {
        "A": "d9656ca7493f3445d737c711710bb36fd432dddd1c0ea32e1d4713c86ebd28e2",
        "graph_indicator": "7d520a4d6c7961c0cdeabe076d8fe27e795b6d373485c9a2b744987e560a2056",
        "graph_labels": "a1518ea39ba3426bd42f57396b9c4baffe68e9adc718caeeab0119c6591a5f2c",
        "node_labels": "678f429965490e84dd27713017538c995fc05d1621beac910848b600015ee863",
    },
    "PTC": {
        "A": "66fdb66b902fd65b9f6423389ff2dd14e34e5d36217f8e5a580e6c5a8f179eb1",
        "graph_indicator": "b59309aac129afbd62a23db75fd91acaddc9b3bb31d83372eb3e5d0fb3cb6123",
        "graph_labels": "ea61a41754c5f455a638ad168faa1a6b6e00ec6cb00cd4f46f0dd267a35da0fb",
        "node_labels": "0473f1d770ecf37c3fc62f13b347b934a338d2572dcfc17efe995a54b4b9071d",
    },
    "PROTEINS": {
        "A": "4c4b33e272fc95cac6d27ed6d5d12b9a852c8610e91fff59f8f0dbdd5a20df67",
        "graph_indicator": "8d4ff1e852a5c28561e9bffb44cf9490bc552b13a3b6156dd12dc7f44e9afc4a",
        "graph_labels": "c0ef9810c440775252872318d0c8adc385588e14bc4c47a2c34aa96ee3c7cdcd",
        "node_attributes": "54eef829abb37e458a5fbf3a3c581e48e5810e220463c2cd951856b9ceb08f07",
        "node_labels": "f758e8ad3d6e3c026b50833d75f6f90735b94eb3345e4243707f495ca8afea8d",
    },
    "IMDB-BINARY": {
        "A": "23c8964bab82f81469271186d721131714a265d0ca8c44ae048118da1d0c4092",
        "graph_indicator": "415cc3ba25b8c647dcf34d3de034f675ee070616f3b803be939cb26773489f26",
        "graph_labels": "63a44411fd6342b9c4429828c16e144a2a11ef5244e25bb60f0ffa8b3ee2ffce",
    },
    "IMDB-MULTI": {
        "A": "fb538b23758d78df199272301e57dc74ad5754d6c3d79d5ed0a343193ddf4ec6",
        "graph_indicator": "0274532a0e47dad9cdd21c08995c2265e43040a2c2a3b36c62fdb790994571d3",
        "graph_labels": "613c2357b6b996f6f04b91697a99da87774820f9d08bf22813992f4c7afda855",
    },
    "COLLAB": {
        "A": "9273da9ec0877d3f7f393a1215792c04bd21b9add1dac5f92b83192829c591ba",
        "graph_indicator": "293e08f202c499430b247f9b52c3ade418d41a0b63eb452624f3ab4c603af416",
        "graph_labels": "b60b2a9afcde168b9617443d348dd0a8a7d54abd5f9f46fa5a37372bef24fbdd",
    },
    "BZR": {
        "A": "ff3fea72cbb9c7791892f1f44a7f04d90c7c5ceab6a72f1208da135d247b543b",
        "graph_indicator": "7be0ae28ac3ce0ea0735242dc31ca8e25fba6f61e75af9f49c2c86fa21bf4712",
        "graph_labels": "ba3c70e696ca733371e43444551df8402a90711e1f9d964c400461f50a762b03",
        "node_attributes": "b63d1ad66f2f89dee341a2212e0311c13d180d25537844636ab01bcb56a844dc",
        "node_labels": "3fa5cea6c33294f4a4fb1fe9ce70a9fe42045f7d555763fb40d99456766e4ba5",
    },
    "COX2": {
        "A": "243231bc10b9ce2576f7f2d3d49c74d403912bd32264c85bcfba2edeb531175f",
        "graph_indicator": "92f3610a7d32dadd60ac12292e8f047cfa88b2c15b0c20143171185e2d4329f1",
        "graph_labels": "106e76e03040eb4024d6cb3ab08af914f92609b0a85a17ddc6cc48ab0e08d7f5",
        "node_attributes": "f2dcba7354e0a6f8bb1c8b8e0c46f90258e05b59fc1600bcf2c307351f2e246a",
        "node_labels": "2e7081a445a29387e9ba927724f3fe86b0c17d27033bca5e47949754a29d9759",
    },
    "PROTEINS_full": {
        "A": "4c4b33e272fc95cac6d27ed6d5d12b9a852c8610e91fff59f8f0dbdd5a20df67",
        "graph_indicator": "8d4ff1e852a5c28561e9bffb44cf9490bc552b13a3b6156dd12dc7f44e9afc4a",
        "graph_labels": "c0ef9810c440775252872318d0c8adc385588e14bc4c47a2c34aa96ee3c7cdcd",
        "node_attributes": "79f9898318a21ce9592b8b7e43cf799745098c464838c54cecade3420108f06f",
        "node_labels": "f758e8ad3d6e3c026b50833d75f6f90735b94eb3345e4243707f495ca8afea8d",
    },
    "EXP": {
        "A": "911b124ba8e7333a54b58fc72d88279344b68511ecc99ff4066922d7e5e8755f",
        "graph_indicator": "70c72109ca931903d0c02ece1b89f10f1f9682c1865b7e372715ee017962dd35",
        "graph_labels": "9032fe204781defb547a08f04fe984494512e1fd11a1e6d4fe84f19bb63f93ee",
        "node_labels": "1c6d00ea10dbdf61932ce1b9a6bff4b3e642ebaabb045710169e206b2afc1e8c",
    },
    "CSL": {
        "A": "3206aa3dea9c43c9d0ba881bcad3ea2922c6e6881916c0f21339396104a702ec",
        "graph_indicator": "07cbda0b2d3d5d14477b3e96c4e4c27ab4c8a4d2f7a36f1f0c02e802cb16208e",
        "graph_labels": "c4959202252a8803373c8a30a157a8b975d65e614f7d513e89fcc83e50230f40",
    },
    "cora": {"arrays": "516d6eb8a4868934d1050dd2f99bd057be470dd4db908719898b2f7b3ecbbb79"},
    "pubmed": {
        "arrays": "624e7042954c7dabe5ffcb75f109b8ede38a18cf7888174e373407713902d914"
    },
    "ppi": {"arrays": "cd46e69d2ed46c321ebacde065a72d728fb6161c7132ced9ddb28f0f2f4be6ed"},
    "lastfm": {
        "arrays": "5d64abf0085e23e287f58d3cc514ac525bad459380f456fa7187bfd8209dbe1b"
    },
    "facebook": {
        "arrays": "d8c3e4ac67700b0d039faf47660a87ff8095728c4a196ff36e4f7c96db32897d"
    },
    "esol": {
        "molecules": "87ae5609992cd5d4bc0d96db52cad1c71ed7809bbe05c9576472dc2070cb24d1"
    },
    "freesolv": {
        "molecules": "b9222df2b6464f84fc82759adf641251c9ad41cc9935f30f36fb2a2a3b91d2f6"
    },
    "lipophilicity": {
        "molecules": "6165700589c8c6054534404e8834539a05f8be08bc1fc6917bfa5147a2bfc3d7"
    },
    "bbbp": {
        "molecules": "f56ca2670280d9d86e0cdc2cad6a5d86ee5128d87095ddbaed7b8c44d4aa81f6"
    },
    "bace": {
        "molecules": "1d05fa82dfdb7d91d83853442fe968ad2d2727043a9a97a0e14311287835aa18"
    },
    "bace-pic50": {
        "molecules": "73f1702191c494225e772c332e8f4f750caa5c9ee4622e2834e26520ec88f509"
    },
    "hiv": {
        "molecules": "0b72f739f4bd042ac1b039713104eb7a4317bc2093a8d89dc4b26649b76bfac7"
    },
    "zinc": {
        "molecules": "bcf1d832cf61c0f76def1cd740acaaee6276563cfead466bc201022d71f514ad"
    },
    "benzene": {
        "molecules": "acd6f8e05224f03ea04c7c1c7f41615954e0c4cf18a2786c740555c5bd596dbf"
    },
    "alkane_carbonyl": {
        "molecules": "2f90fea539e634919d462f89e6e608e0574d2d9cce360796743433414d590285"
    },
}
