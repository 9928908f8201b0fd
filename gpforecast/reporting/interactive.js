// Draws the interactive pictures of a report, each from the data in its place.
const finger = matchMedia("(pointer: coarse)").matches;
const small = finger || innerWidth < 576;  // no room for buttons next to the legend
const options = {displaylogo: false, responsive: true, typesetMath: false,
  displayModeBar: small ? false : "hover", plotlyServerURL: "",  // no button sends data anywhere
  modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]]};
document.addEventListener("DOMContentLoaded", () => {
  if (!window.Plotly) return;
  document.documentElement.classList.add("scripted");
  for (const place of document.querySelectorAll(".live")) {
    const figure = JSON.parse(place.querySelector("script").textContent);
    figure.layout.dragmode = finger ? false : "zoom";  // a finger scrolls the page
    Plotly.newPlot(place, figure.data, figure.layout, options);
  }
});
