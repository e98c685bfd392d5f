import type { WorkbookValue } from '../../../shared/leads/transfer/export-lines.ts';
import { CommandError } from '../../cli/command.ts';

/** A date has no time zone: it is read as UTC. */
export type Cell = WorkbookValue;

/** The rows of a sheet. @param sheet its name; undefined for the first one @throws CommandError */
export async function readWorkbook(
  file: string,
  bytes: Buffer,
  sheet: string | undefined,
): Promise<Cell[][]> {
  const excel = await import('read-excel-file/node');
  try {
    // The library's types have the class Date where cells have its instances.
    return (await excel.readSheet(bytes, sheet, { trim: false })) as unknown as Cell[][];
  } catch (cause) {
    if (cause instanceof excel.SheetNotFoundError)
      throw new CommandError(`${file}: ${cause.message}.`, { cause });
    const isWorkbook = !(
      cause instanceof excel.InvalidInputError || cause instanceof excel.InvalidSpreadsheetError
    );
    if (isWorkbook) throw cause;
    throw new CommandError(
      `${file} is not an .xlsx workbook: save it as .xlsx in a spreadsheet program, without a password.`,
      { cause },
    );
  }
}

/** A cell without a date is a time of day. */
const firstDay = Date.UTC(1899, 11, 31);

/** A cell as text; dates and times in ISO 8601. @param isOurs whether an export of this service wrote the cell */
export function textOfCell(cell: Cell | undefined, isOurs = false): string {
  if (!(cell instanceof Date)) return String(cell ?? '');
  const time = cell.getTime();
  // A workbook has fractions of days, which the library cuts: 14:30 may come as 14:29:59.999. Our export takes care of that.
  const isCut = !isOurs && time % 1000 === 999;
  const text = new Date(isCut ? time + 1 : time).toISOString().replace('.000Z', 'Z');
  if (time < firstDay) return text.slice(11, 16);
  return text.endsWith('T00:00:00Z') ? text.slice(0, 10) : text;
}
