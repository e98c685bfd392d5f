import { createInterface } from 'node:readline/promises';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { clientTimeouts, type FailedCheck } from './failed-check.ts';

/** Asks for the code of an MFA device, by its serial number or ARN. */
export type AskForCode = (device: string) => Promise<string>;

export const askOnTerminal: AskForCode = async (device) => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Without this, a terminal that ends its input leaves the question open for ever.
  const closed = new AbortController();
  terminal.once('close', () => closed.abort(new Error('no code was given')));
  try {
    return (await terminal.question(`MFA code of ${device}: `, { signal: closed.signal })).trim();
  } finally {
    terminal.close();
  }
};

/**
 * If the AWS profile needs an MFA code, asks for it, and puts the session into the environment: the SDK's clients and the CDK would each
 * ask again. Leaves other profiles alone, also those that give no credentials: the preflight explains them.
 * @returns why there is no session with the code; undefined if there is one, or none is needed
 */
export async function openMfaSession(
  region: string,
  ask: AskForCode,
): Promise<FailedCheck | undefined> {
  let isAsked = false;
  const credentials = defaultProvider({
    clientConfig: { region, ...clientTimeouts },
    mfaCodeProvider: (device) => {
      isAsked = true;
      return ask(device);
    },
  });
  try {
    const { accessKeyId, secretAccessKey, sessionToken = '' } = await credentials();
    if (!isAsked) return undefined;
    Object.assign(process.env, {
      AWS_REGION: region, // of the profile, perhaps
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
    });
    delete process.env.AWS_PROFILE;
    return undefined;
  } catch (error) {
    if (!isAsked) return undefined;
    const { name, message } = error as Error;
    return {
      issue: `AWS opened no session with the MFA code (${name}: ${message}).`,
      next: 'Check the network, and run the command again with the next code of the device.',
    };
  }
}
