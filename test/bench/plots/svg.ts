/**
 * Small parts of a drawing. Every element takes its colour from a class, and each class has a colour for light pages and one for dark
 * ones; a card of its own behind all of it keeps the drawing readable where a page does not say which it is.
 */
const style = `
  text { font: 13px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #24292f }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #57606a; font-size: 12px }
  .card { fill: #ffffff; stroke: #d0d7de }
  .grid { stroke: #d8dee4; stroke-width: 1; fill: none }
  .goal { stroke: #bc4c00; stroke-width: 2.5; fill: none }
  .goal-text { fill: #bc4c00 }
  .c0 { fill: #0969da; stroke: #0969da } .c1 { fill: #8c959f; stroke: #8c959f } .c2 { fill: #1a7f37; stroke: #1a7f37 }
  .c3 { fill: #8250df; stroke: #8250df } .c4 { fill: #bf3989; stroke: #bf3989 } .c5 { fill: #9a6700; stroke: #9a6700 }
  .bar { stroke: none } .line { fill: none; stroke-width: 2.5 } .label { stroke: none; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .card { fill: #151b23; stroke: #3d444d } .grid { stroke: #3d444d }
    .goal { stroke: #ffa657 } .goal-text { fill: #ffa657 }
    .c0 { fill: #4493f8; stroke: #4493f8 } .c1 { fill: #7d8590; stroke: #7d8590 } .c2 { fill: #3fb950; stroke: #3fb950 }
    .c3 { fill: #ab7df8; stroke: #ab7df8 } .c4 { fill: #db61a2; stroke: #db61a2 } .c5 { fill: #d29922; stroke: #d29922 }
    .line { fill: none } .bar, .label { stroke: none }
  }`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** @param about what the drawing shows, for who cannot see it */
export function drawing(
  width: number,
  height: number,
  about: string,
  parts: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(about)}">`,
    `<style>${style}\n</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

export const text = (
  x: number,
  y: number,
  words: string,
  classes = '',
  anchor: 'start' | 'middle' | 'end' = 'start',
): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${classes}" text-anchor="${anchor}">${escaped(words)}</text>`;

export const bar = (x: number, y: number, width: number, height: number, colour: number): string =>
  `<rect class="bar c${colour}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(1, width).toFixed(1)}" height="${height}" rx="2"/>`;

export const path = (
  points: readonly (readonly [x: number, y: number])[],
  classes: string,
): string =>
  `<path class="${classes}" d="${points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)},${y.toFixed(1)}`).join('')}"/>`;

export const dot = (x: number, y: number, colour: number): string =>
  `<circle class="bar c${colour}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4"/>`;
