import { ValidationError } from './errors.ts';

/** A number as DynamoDB keeps it: up to 38 significant digits, `digits * 10 ** exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const plainInteger = /^-?(0|[1-9]\d{0,14})$/;
const decimal = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?$/;

/** The form in which DynamoDB gives a number back: no exponent, no zeros that say nothing.
 *  @throws ValidationError for what is no number, or too large, too small or too long a one */
export function normalizeNumber(text: string): string {
  if (plainInteger.test(text) && text !== '-0') return text;
  return format(parse(text));
}

export function compareNumbers(one: string, other: string): number {
  if (one === other) return 0;
  if (plainInteger.test(one) && plainInteger.test(other)) return Number(one) - Number(other);
  const [a, b] = aligned(parse(one), parse(other));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @throws ValidationError when the sum has more than 38 digits or leaves the range */
export function addNumbers(one: string, other: string): string {
  if (plainInteger.test(one) && plainInteger.test(other))
    return String(Number(one) + Number(other));
  const [a, b] = [parse(one), parse(other)];
  const [left, right] = aligned(a, b);
  return format(assertFits({ digits: left + right, exponent: Math.min(a.exponent, b.exponent) }));
}

function parse(text: string): Decimal {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? [];
  if (sign === undefined || whole.length + fraction.length === 0) {
    throw new ValidationError(
      text === ''
        ? 'The parameter cannot be converted to a numeric value'
        : `The parameter cannot be converted to a numeric value: ${text}`,
    );
  }
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return assertFits({ digits, exponent: Number(exponent) - fraction.length });
}

function assertFits(number: Decimal): Decimal {
  const { digits, exponent } = trimmed(number);
  if (digits === 0n) return { digits, exponent: 0 };
  const length = String(digits < 0n ? -digits : digits).length;
  const magnitude = exponent + length - 1;
  if (magnitude > 125) {
    throw new ValidationError(
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    );
  }
  if (magnitude < -130) {
    throw new ValidationError(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  }
  if (length > 38)
    throw new ValidationError('Attempting to store more than 38 significant digits in a Number');
  return { digits, exponent };
}

function trimmed({ digits, exponent }: Decimal): Decimal {
  if (digits === 0n) return { digits, exponent: 0 };
  let [short, power] = [digits, exponent];
  while (short % 10n === 0n) [short, power] = [short / 10n, power + 1];
  return { digits: short, exponent: power };
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [
    a.digits * 10n ** BigInt(a.exponent - exponent),
    b.digits * 10n ** BigInt(b.exponent - exponent),
  ];
}

function format({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits);
  if (exponent >= 0) return sign + text + '0'.repeat(digits === 0n ? 0 : exponent);
  const padded = text.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** About one byte for two digits, and one (DynamoDB developer guide, "Item sizes and formats"). */
export function numberSize(text: string): number {
  const significant = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '');
  return Math.min(21, Math.ceil(significant.length / 2) + 1 + (text.startsWith('-') ? 1 : 0));
}
