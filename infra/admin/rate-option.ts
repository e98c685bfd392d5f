import { Option } from 'commander';
import { readUnitsPerSecondDefault } from '../../shared/store/maintenance/paced-reads.ts';
import { integerOption } from '../cli/integer-option.ts';

const rateMax = 40_000;

/** `--rate` of a command that reads many items. */
export const readRateOption = (): Option =>
  new Option(
    '--rate <UNITS>',
    `maximum number of read units per second, 1 to ${rateMax} (default: ${readUnitsPerSecondDefault}; without limit on a local engine)`,
  ).argParser(integerOption(1, rateMax));
