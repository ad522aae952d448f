
"use strict";
// The page is complete without this script. It filters, searches, groups, and keeps the state in the address.
(() => {
  const root = document.documentElement;
  const form = document.querySelector(".controls");
  const output = document.getElementById("shown");
  const groupList = document.getElementById("groups");
  const items = Array.from(document.querySelectorAll("article.finding"), (element) => ({
    element, text: null, shown: true, ...element.dataset,
  }));
  const rows = Array.from(document.querySelectorAll("tr.class"), (element) => ({
    element, text: null, verdict: element.dataset.verdict,
  }));
  const views = Array.from(document.querySelectorAll(".view"), (one) => one.id);
  const titles = new Map(Array.from(document.querySelectorAll(".group"), (one) => [one.dataset.key, one.dataset.title]));
  const boxes = (name) => Array.from(form.elements).filter((one) => one.name === name);
  let groups = Array.from(document.querySelectorAll(".group"), (element) => ({ element }));
  let grouped = "rule";
  const common = commonFolder();
  let view = views[0];
  let target = "";

  // State and address ----------------------------------------------------------------------------------
  function checked(name) {
    return boxes(name).filter((one) => one.checked).map((one) => one.value);
  }

  function fields() {
    const state = {};
    if (view !== views[0]) state.view = view;
    for (const name of ["q", "rule", "path"]) {
      const value = form.elements[name].value.trim();
      if (value) state[name] = value;
    }
    for (const name of ["level", "verdict"]) {
      const chosen = checked(name);
      if (chosen.length < boxes(name).length) state[name] = chosen.join(",");
    }
    const [group] = checked("group");
    if (group !== "rule") state.group = group;
    if (form.elements.brief.checked) state.brief = "1";
    if (target) state.at = target;
    return state;
  }

  function remember() {
    const hash = new URLSearchParams(fields()).toString();
    if (hash === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
    } catch {
      location.hash = hash;
    }
  }

  function recall() {
    const hash = decodeURI(location.hash.slice(1));
    const plain = hash !== "" && !hash.includes("=");
    const state = new URLSearchParams(plain ? "" : location.hash.slice(1));
    for (const name of ["q", "rule", "path"]) form.elements[name].value = state.get(name) ?? "";
    for (const name of ["level", "verdict"]) {
      const chosen = state.has(name) ? state.get(name).split(",") : null;
      for (const box of boxes(name)) box.checked = chosen === null || chosen.includes(box.value);
    }
    for (const box of boxes("group")) box.checked = box.value === (state.get("group") ?? "rule");
    if (!checked("group").length) boxes("group")[0].checked = true;
    form.elements.brief.checked = state.get("brief") === "1";
    target = plain && !views.includes(hash) ? hash : state.get("at") ?? "";
    const wanted = plain ? viewOf(hash) : state.get("view");
    view = views.includes(wanted) ? wanted : views[0];
    apply();
    if (target) reveal(target);
  }

  function viewOf(id) {
    return document.getElementById(id)?.closest(".view")?.id;
  }

  function reveal(id) {
    for (const one of document.querySelectorAll(".target")) one.classList.remove("target");
    const element = document.getElementById(id);
    if (!element) return;
    element.classList.add("target");
    element.scrollIntoView({ block: "start" });
  }

  // Filters --------------------------------------------------------------------------------------------
  function has(item, words) {
    if (!words.length) return true;
    item.text ??= item.element.textContent.toLowerCase();
    return words.every((word) => item.text.includes(word));
  }

  const show = (element, shown) => { if (element.hidden === shown) element.hidden = !shown; };

  function filterFindings(words) {
    const levels = new Set(checked("level"));
    const rule = form.elements.rule.value;
    const path = form.elements.path.value.trim().toLowerCase();
    const counts = new Map();
    let shown = 0;
    for (const item of items) {
      const rest = (!rule || item.rule === rule) && item.path.toLowerCase().includes(path) && has(item, words);
      if (rest) counts.set(item.level, (counts.get(item.level) ?? 0) + 1);
      item.shown = rest && levels.has(item.level);
      shown += item.shown;
      show(item.element, item.shown);
    }
    for (const one of form.querySelectorAll("output[data-level]")) one.value = counts.get(one.dataset.level) ?? 0;
    show(document.getElementById("no-finding"), shown === 0 && items.length > 0);
    countGroups();
    return `${shown} of ${items.length} findings`;
  }

  function filterRows(words) {
    const verdicts = new Set(checked("verdict"));
    let shown = 0;
    for (const row of rows) {
      const fits = verdicts.has(row.verdict) && has(row, words);
      shown += fits;
      show(row.element, fits);
    }
    show(document.getElementById("no-class"), shown === 0);
    return `${shown} of ${rows.length} classes`;
  }

  function apply() {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const [group] = checked("group");
    if (items.length && group !== grouped) regroup(group);
    const said = {};
    if (items.length) said.findings = filterFindings(words);
    if (rows.length) said.readiness = filterRows(words);
    root.classList.toggle("brief", form.elements.brief.checked);
    for (const id of views) show(document.getElementById(id), id === view);
    for (const link of document.querySelectorAll(".views a")) {
      if (link.dataset.view === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    for (const id of ["findings", "readiness"]) {
      for (const part of form.querySelectorAll(".for-" + id)) show(part, id === view);
    }
    show(form, view in said);
    if (output.value !== (said[view] ?? "")) output.value = said[view] ?? "";
    remember();
  }

  // Groups ---------------------------------------------------------------------------------------------
  function keyOf(item, by) {
    if (by === "file") return item.path;
    return by === "rule" ? item.rule : item.shape;
  }

  function titleOf(key, by, members) {
    if (by === "file") return key;
    if (by === "rule") return titles.get(key);
    const [first] = members;
    if (key === "") return "Code with no other of its shape";
    return `${titles.get(first.rule)}, as in ${first.element.querySelector(".place").textContent.split("/").pop()}`;
  }

  function parted(by) {
    const parts = new Map();
    for (const item of items) {
      const key = keyOf(item, by);
      if (!parts.has(key)) parts.set(key, []);
      parts.get(key).push(item);
    }
    if (by === "file") for (const members of parts.values()) members.sort((a, b) => a.line - b.line);
    if (by !== "shape") return [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
    const alone = [...parts].filter(([key, members]) => key === "" || members.length === 1);
    const twins = [...parts].filter(([key, members]) => key !== "" && members.length > 1);
    twins.sort(([, a], [, b]) => b.length - a.length);
    return alone.length ? [...twins, ["", alone.flatMap(([, members]) => members)]] : twins;
  }

  function regroup(by) {
    grouped = by;
    const before = document.getElementById("no-finding");
    const old = groups;
    groups = parted(by).map(([key, members]) => {
      const section = document.createElement("section");
      const heading = document.createElement("h3");
      const count = document.createElement("span");
      section.className = "group";
      section.dataset.title = titleOf(key, by, members);
      heading.textContent = section.dataset.title + " ";
      count.className = "count";
      heading.append(count);
      section.append(heading, ...members.map((item) => item.element));
      before.before(section);
      return { element: section };
    });
    for (const one of old) one.element.remove();
    listGroups();
  }

  function commonFolder() {
    const paths = items.map((item) => item.path);
    let folder = paths[0]?.slice(0, paths[0].lastIndexOf("/") + 1) ?? "";
    while (!paths.every((path) => path.startsWith(folder))) folder = folder.replace(/[^/]*\/$/, "");
    return folder;
  }

  function listGroups() {
    const list = document.createElement("ul");
    groups.forEach((group, number) => {
      const { element } = group;
      element.id = "g-" + number;
      element.querySelector("h3").tabIndex = -1;
      group.count = element.querySelector(".count");
      group.items = Array.from(element.querySelectorAll("article"));
      group.entry = document.createElement("li");
      group.entryCount = document.createElement("span");
      const link = document.createElement("a");
      link.href = "#" + element.id;
      link.textContent = element.dataset.title.slice(grouped === "file" ? common.length : 0);
      group.entry.append(link, " ", group.entryCount);
      list.append(group.entry);
    });
    groupList.replaceChildren(list);
  }

  function countGroups() {
    for (const group of groups) {
      const number = group.items.filter((one) => !one.hidden).length;
      group.count.textContent = group.entryCount.textContent = number;
      show(group.element, number > 0);
      show(group.entry, number > 0);
    }
  }

  // What people do -------------------------------------------------------------------------------------
  let waiting = 0;
  form.addEventListener("input", () => {
    target = "";
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(apply);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const name of ["q", "rule", "path"]) form.elements[name].value = "";
    for (const name of ["level", "verdict"]) for (const box of boxes(name)) box.checked = true;
    target = "";
    apply();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (!link || link.classList.contains("skip")) return;
    const id = link.getAttribute("href").slice(1);
    const element = document.getElementById(id);
    if (!element) return;
    event.preventDefault();
    view = viewOf(id) ?? view;
    target = element.classList.contains("group") || views.includes(id) ? "" : id;
    apply();
    if (target) return reveal(id);
    const heading = element.querySelector("h2, h3");
    heading.focus({ preventScroll: true });
    if (views.includes(id)) scrollTo(0, 0);
    else element.scrollIntoView({ block: "start" });
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input:not([type=checkbox], [type=radio]), select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && !form.hidden) {
      event.preventDefault();
      form.elements.q.focus();
      form.elements.q.select();
    }
  });

  const theme = document.getElementById("theme");
  theme.value = root.dataset.theme ?? "";
  theme.addEventListener("change", () => {
    if (theme.value) root.dataset.theme = theme.value;
    else delete root.dataset.theme;
    try {
      localStorage.setItem("pplint-theme", theme.value);
    } catch { /* it holds for this view then */ }
  });

  // What is folded away on the screen is open on paper.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
  });

  document.querySelector(".filters").open = matchMedia("(min-width: 70rem)").matches;
  listGroups();
  addEventListener("hashchange", recall);
  recall();
})();
