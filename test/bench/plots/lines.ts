import { dot, drawing, path, text } from './svg.ts';

export interface LinePlot {
  readonly title: string;
  readonly subtitle: string;
  readonly xName: string;
  readonly yName: string;
  readonly lines: readonly {
    readonly name: string;
    readonly colour: number;
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
  /** A line across that no point may be above. */
  readonly limit: { readonly value: number; readonly name: string };
}

const width = 780;
const height = 430;
const frame = { left: 80, right: 560, top: 100, bottom: 370 };
const labelHeight = 17;

/** Lines over two logarithmic axes, each named at its end. */
export function linePlot({ title, subtitle, xName, yName, lines, limit }: LinePlot): string {
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const ys = [...lines.flatMap(({ points }) => points.map(([, y]) => y)), limit.value];
  const [xFrom, xTo] = [Math.min(...xs), Math.max(...xs)];
  const [yFrom, yTo] = [
    10 ** Math.floor(Math.log10(Math.min(...ys))),
    10 ** Math.ceil(Math.log10(Math.max(...ys))),
  ];
  const share = (value: number, from: number, to: number): number =>
    Math.log10(value / from) / Math.log10(to / from);
  const xOf = (x: number): number =>
    frame.left + 16 + share(x, xFrom, xTo) * (frame.right - frame.left - 32);
  const yOf = (y: number): number =>
    frame.bottom - share(y, yFrom, yTo) * (frame.bottom - frame.top);

  const parts = [text(24, 34, title, 'title'), text(24, 56, subtitle, 'quiet')];
  for (let y = yFrom; y <= yTo; y *= 10) {
    parts.push(
      path(
        [
          [frame.left, yOf(y)],
          [frame.right, yOf(y)],
        ],
        'grid',
      ),
      text(frame.left - 8, yOf(y) + 4, y.toLocaleString('en-US'), 'quiet', 'end'),
    );
  }
  for (const x of new Set(xs))
    parts.push(text(xOf(x), frame.bottom + 20, x.toLocaleString('en-US'), 'quiet', 'middle'));
  parts.push(
    text((frame.left + frame.right) / 2, frame.bottom + 42, xName, 'quiet', 'middle'),
    text(frame.left - 8, frame.top - 16, yName, 'quiet', 'end'),
  );
  parts.push(
    path(
      [
        [frame.left, yOf(limit.value)],
        [frame.right, yOf(limit.value)],
      ],
      'goal',
    ),
    text(frame.right + 12, yOf(limit.value) + 4, limit.name, 'goal-text'),
  );

  const byHeight = [...lines].sort(
    (a, b) => (b.points.at(-1)?.[1] ?? 0) - (a.points.at(-1)?.[1] ?? 0),
  );
  let lowestLabel = yOf(limit.value) + 4;
  for (const { name, colour, points } of byHeight) {
    const at = points.map(([x, y]) => [xOf(x), yOf(y)] as const);
    const labelAt = Math.max((at.at(-1)?.[1] ?? 0) + 4, lowestLabel + labelHeight);
    lowestLabel = labelAt;
    parts.push(
      path(at, `line c${colour}`),
      ...at.map(([x, y]) => dot(x, y, colour)),
      text(frame.right + 12, labelAt, name, `label c${colour}`),
    );
  }
  return drawing(width, height, `${title}. ${subtitle}`, parts);
}
