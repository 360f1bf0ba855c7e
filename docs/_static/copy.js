// A button on every block of code copies it, without prompts and output.
document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) return; // only pages from https and from localhost may copy
  for (const block of document.querySelectorAll(".bd-article div.highlight")) {
    const code = block.querySelector("pre").cloneNode(true);
    const isSession = code.querySelector(".gp") !== null;
    code.querySelectorAll(".gp, .go, .gt, .gr").forEach((part) => part.remove());
    const lines = code.textContent.split("\n").filter((line) => !isSession || line.trim());
    const button = document.createElement("button");
    button.className = "copy-code";
    button.textContent = "Copy";
    button.title = isSession ? "Copy without prompts and output" : "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(lines.join("\n").trimEnd() + "\n");
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
