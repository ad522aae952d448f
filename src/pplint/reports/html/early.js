
"use strict";
// Before the first paint: controls are shown only where a script can serve them, and no flash of the other theme.
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("pplint-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* storage may be forbidden */ }
