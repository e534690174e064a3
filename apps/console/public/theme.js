(function () {
  var choice = null;
  try {
    choice = localStorage.getItem("mainstay.theme");
  } catch {
    // Storage is refused: the system decides.
  }
  var isDark =
    choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
})();
