import { randomInt } from 'node:crypto';

export interface Person {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}

const phonesMax = 100_000_000;
const firstPhone = randomInt(0, phonesMax);
let people = 0;

/** Fields of a person that no other test of the run uses. */
export function person(): Person {
  people += 1;
  const digits = String((firstPhone + people) % phonesMax).padStart(8, '0');
  return {
    name: `Person ${people}`,
    phone: `+9198${digits}`,
    email: `person${people}.${digits}@example.com`,
  };
}
