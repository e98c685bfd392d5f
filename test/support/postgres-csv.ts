import { PGlite } from '@electric-sql/pglite';

/** Starting it takes seconds, so all files of a process share one. */
let database: Promise<PGlite> | undefined;

/**
 * The rows of a CSV file as PostgreSQL's COPY reads them. It rejects a file whose rows do not all end alike, so a line break outside quotes
 * never passes for text. See https://www.postgresql.org/docs/current/sql-copy.html, "CSV Format".
 */
export async function readByPostgres(text: string, delimiter: string): Promise<string[][]> {
  database ??= PGlite.create();
  const heading = text.slice(0, text.search(/[\r\n]/)).split(delimiter);
  const names = heading.map((_, index) => `c${index}`);
  return (await database).transaction(async (transaction) => {
    await transaction.exec(
      `CREATE TEMP TABLE file (row_number serial, ${names.map((name) => `${name} text`)}) ON COMMIT DROP`,
    );
    await transaction.query(
      `COPY file (${names}) FROM '/dev/blob' WITH (FORMAT csv, DELIMITER E'${delimiter}', FORCE_NOT_NULL *)`,
      [],
      { blob: new Blob([text]) },
    );
    const { rows } = await transaction.query<string[]>(
      `SELECT ${names} FROM file ORDER BY row_number`,
      [],
      { rowMode: 'array' },
    );
    return rows;
  });
}
