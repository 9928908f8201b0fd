// Draws the interactive pictures of a report, each from the data in its place.
const finger = matchMedia("(pointer: coarse)").matches;
const options = {displaylogo: false, responsive: true, typesetMath: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "sendDataToCloud"]};
document.addEventListener("DOMContentLoaded", () => {
  if (!window.Plotly) return;
  document.documentElement.classList.add("scripted");
  for (const place of document.querySelectorAll(".live")) {
    const figure = JSON.parse(place.querySelector("script").textContent);
    figure.layout.dragmode = finger ? false : "zoom";  // a finger scrolls the page
    Plotly.newPlot(place, figure.data, figure.layout, options);
  }
});
