import { bar, drawing, path, text } from './svg.ts';

/** One bar of a group. */
export interface Bar {
  readonly colour: number;
  readonly value: number;
  /** Written behind the bar. */
  readonly label: string;
}

export interface BarPlot {
  readonly title: string;
  readonly subtitle: string;
  readonly groups: readonly {
    readonly name: string;
    readonly bars: readonly Bar[];
    readonly goal?: number | undefined;
  }[];
  /** Names of the colours used, in order; none where there is one colour alone. */
  readonly legend: readonly { readonly colour: number; readonly name: string }[];
  /** What the mark across a group's bars means, where groups have goals. */
  readonly goalName?: string;
}

const width = 780;
const left = 275;
const right = 130;
const barHeight = 17;
const groupGap = 14;

/** Bars from left to right, in groups from top to bottom, each with its number. */
export function barPlot({ title, subtitle, groups, legend, goalName }: BarPlot): string {
  const largest = Math.max(
    ...groups.flatMap(({ bars, goal = 0 }) => [goal, ...bars.map(({ value }) => value)]),
  );
  const scale = (width - left - right) / largest;
  const top = legend.length > 0 || goalName ? 100 : 76;
  const parts = [
    text(24, 34, title, 'title'),
    text(24, 56, subtitle, 'quiet'),
    ...legendOf(legend, goalName),
  ];
  let y = top;
  for (const { name, bars, goal } of groups) {
    const height = bars.length * (barHeight + 3) - 3;
    parts.push(text(left - 12, y + height / 2 + 4.5, name, '', 'end'));
    bars.forEach(({ colour, value, label }, at) => {
      const barTop = y + at * (barHeight + 3);
      const labelAt = left + Math.max(value, goal ?? 0) * scale + 8;
      parts.push(
        bar(left, barTop, value * scale, barHeight, colour),
        text(labelAt, barTop + barHeight / 2 + 4.5, label, 'quiet'),
      );
    });
    if (goal !== undefined) {
      const x = left + goal * scale;
      parts.push(
        path(
          [
            [x, y - 3],
            [x, y + height + 3],
          ],
          'goal',
        ),
      );
    }
    y += height + groupGap;
  }
  return drawing(width, y + 10, `${title}. ${subtitle}`, parts);
}

function legendOf(legend: BarPlot['legend'], goalName: string | undefined): string[] {
  const parts: string[] = [];
  let x = 24;
  for (const { colour, name } of legend) {
    parts.push(bar(x, 69, 12, 12, colour), text(x + 18, 79.5, name, 'quiet'));
    x += 18 + name.length * 6.6 + 22;
  }
  if (goalName)
    parts.push(
      path(
        [
          [x + 4, 67],
          [x + 4, 83],
        ],
        'goal',
      ),
      text(x + 14, 79.5, goalName, 'quiet'),
    );
  return parts;
}
