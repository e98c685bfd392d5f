import type { Table } from '../../shared/store/table/client.ts';
import type { Caller } from './caller.ts';
import { CheckError, type Checks } from './check.ts';
import type { TemporaryOrganization } from './temporary-organization.ts';

/** What the checks that write work with. */
export interface WriteContext {
  readonly checks: Checks;
  readonly caller: Caller;
  readonly table: Table;
  readonly organization: TemporaryOrganization;
}

/** The properties of a lead that the checks compare. */
export interface CheckedLead {
  readonly id: number;
  readonly phone: string;
  readonly email: string | null;
  readonly stageId: number | null;
  readonly pipelineId: number;
  readonly sourceId: number | null;
  readonly assignedTo: number | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface CaptureBody {
  readonly lead: {
    readonly id: number;
    readonly created: boolean;
    readonly updated: boolean;
    readonly archived?: true;
  };
}

/** Numbers that Ofcom reserves for fiction, so that nobody's phone is stored. */
const fictionalPhone = (number: number): string => `+447700900${String(number).padStart(3, '0')}`;

/** A person of the temporary organization. */
export const person = (number: number) => ({
  name: `Verified Person ${number}`,
  phone: fictionalPhone(number),
  email: `person${number}@example.com`,
});

/**
 * Expects values as they must be. @returns what came
 * @throws CheckError with the first difference
 */
export function expectEqual(
  what: string,
  came: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(expected)) {
    const one = JSON.stringify(came[name]);
    if (one === JSON.stringify(value)) continue;
    throw new CheckError(
      `${what}: ${name} is ${one ?? 'missing'}; expected ${JSON.stringify(value)}`,
      'Is the deployed version the one that this command comes with? If so, report this line as a defect.',
    );
  }
}
