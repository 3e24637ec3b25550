"use strict";
// Without this, all of the page is there; with it, tables are sorted, rows looked for, and texts copied.
{
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.by === undefined ? cell.textContent : Number(cell.dataset.by);
  };
  const order = (a, b) => typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.querySelector(".hidden")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const was = head.getAttribute("aria-sort");
        // Of numbers the largest is asked for first.
        const down = was ? was === "ascending" : head.classList.contains("n");
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].sort((a, b) => order(key(a, column), key(b, column)) * (down ? -1 : 1));
        body.append(...rows);
      });
    });
    if (!("filter" in table.dataset)) continue;
    const label = document.createElement("label");
    const input = document.createElement("input");
    label.className = "filter";
    input.type = "search";
    label.append("Show rows with", input);
    table.parentElement.before(label);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
  }

  if (navigator.clipboard) {
    for (const text of document.querySelectorAll("pre")) {
      const around = document.createElement("div");
      const button = document.createElement("button");
      around.className = "copied";
      button.type = "button";
      button.textContent = "Copy";
      text.before(around);
      around.append(text, button);
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(text.textContent.replace(/\n$/, ""));
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
    }
  }

  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}
