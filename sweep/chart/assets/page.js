"use strict";
(() => {
  const figure = document.querySelector("figure");
  const tip = document.getElementById("tip");
  const points = [...figure.querySelectorAll("[data-row]")];
  let shown = null;

  // facts makes a list of the table line of a point: each heading with its cell.
  const facts = (row) => {
    const list = document.createElement("dl");
    const heads = row.closest("table").tHead.rows[0].cells;
    [...row.cells].forEach((cell, i) => {
      if (!cell.textContent.trim()) return;
      const name = document.createElement("dt");
      const value = document.createElement("dd");
      name.textContent = heads[i].dataset.name;
      value.append(...[...cell.childNodes].map((n) => n.cloneNode(true)));
      if (heads[i].dataset.unit) value.append(" " + heads[i].dataset.unit);
      list.append(name, value);
    });
    return list;
  };

  const hide = () => {
    tip.hidden = true;
    if (!shown) return;
    shown.classList.remove("on");
    document.getElementById(shown.dataset.row).classList.remove("on");
    shown = null;
  };

  const show = (point) => {
    hide();
    shown = point;
    const row = document.getElementById(point.dataset.row);
    point.classList.add("on");
    row.classList.add("on");
    tip.replaceChildren(facts(row));
    tip.hidden = false;
    const at = point.getBoundingClientRect();
    const frame = figure.getBoundingClientRect();
    const right = at.right - frame.left + 10;
    const left = at.left - frame.left - tip.offsetWidth - 10;
    tip.style.left = (right + tip.offsetWidth <= frame.width || left < 0 ? right : left) + "px";
    const most = Math.min(frame.height, innerHeight - frame.top) - tip.offsetHeight;
    tip.style.top = Math.max(0, -frame.top, Math.min(at.top - frame.top - 10, most)) + "px";
  };

  // beside is the point with a tab stop that lies n places to the right.
  const beside = (point, n) => {
    const order = points.filter((p) => p.hasAttribute("tabindex"));
    order.sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x);
    return order[order.indexOf(point) + n];
  };

  for (const point of points) {
    point.addEventListener("pointerenter", () => show(point));
    point.addEventListener("pointerleave", () => {
      if (document.activeElement !== point) hide();
    });
    if (point.hasAttribute("tabindex")) { // listening alone would make the others stops too
      point.addEventListener("focus", () => show(point));
      point.addEventListener("blur", hide);
    }
    const row = document.getElementById(point.dataset.row);
    row.addEventListener("pointerenter", () => point.classList.add("on"));
    row.addEventListener("pointerleave", () => point.classList.remove("on"));
  }
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step || !points.includes(event.target)) return;
    event.preventDefault();
    beside(event.target, step)?.focus();
  });
})();
