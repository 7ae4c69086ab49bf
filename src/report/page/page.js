'use strict';
// Draws the charts in the page's colours, and again when the colours change (light or dark).
const charts = JSON.parse(document.getElementById('charts').textContent);

function themed(layout) {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(name).trim();
  const axis = given => Object.assign(
    {gridcolor: colour('--line'), linecolor: colour('--line'), automargin: true, fixedrange: true}, given);
  return Object.assign({}, layout, {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: {family: getComputedStyle(document.body).fontFamily, size: 12, color: colour('--ink')},
    margin: {l: 50, r: 12, t: 32, b: 44},
    xaxis: axis(layout.xaxis),
    yaxis: axis(layout.yaxis),
  });
}

function draw() {
  for (const [id, chart] of Object.entries(charts)) {
    Plotly.react(id, chart.data, themed(chart.layout), {responsive: true, displayModeBar: false});
  }
}

draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
