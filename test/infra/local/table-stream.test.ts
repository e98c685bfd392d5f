import { expect, test } from 'vitest';
import { TableStream } from '../../../infra/local/table-stream.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

test.each([
  ['nothing, as after a power failure', ''],
  ['half of a position', '{"streamArn":"arn:stream","sha'],
  ['something else', 'null'],
])('a stream is read from its beginning if the file of its position has %s', async (_, text) => {
  const positionFile = await files.write('events.jsonl.position', text);
  const environment = {
    LEADS_TABLE: 'leads',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
    AWS_REGION: 'ap-south-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const options = { streamArn: 'arn:stream', environment, positionFile, tell: () => undefined };

  expect(() => new TableStream(options)).not.toThrow();
});
