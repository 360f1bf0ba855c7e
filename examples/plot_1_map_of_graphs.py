"""
A map
=====
"""
print(1)
