import { Option } from 'commander';
import { integerOption } from './integer-option.ts';

const limitMax = 10_000;
const limitDefault = 25;

/** `--limit` of a command that lists leads. */
export const leadLimitOption = (): Option =>
  new Option('--limit <N>', `maximum number of leads, 1 to ${limitMax}`)
    .argParser(integerOption(1, limitMax))
    .default(limitDefault);
