import type {
  AdministratorCommand,
  CommandOptions,
  CommandResult,
  openTable,
  runCommand,
} from './administration.ts';
import type { ServicePrograms } from './lambda/modules.ts';
import type { Runtime } from './lambda/runtime.ts';

interface Commands {
  readonly openTable: typeof openTable;
  readonly runCommand: typeof runCommand;
}

/** An administrator's process in a simulation. */
export class AdministratorProcess {
  readonly runtime: Runtime;
  readonly #commands: Commands;
  readonly #table: ReturnType<typeof openTable>;

  /** @param tableName `leads` unless told otherwise */
  constructor(runtime: Runtime, { administration }: ServicePrograms, tableName?: string) {
    this.runtime = runtime;
    this.#commands = runtime.load<Commands>(administration);
    this.#table = runtime.run(() => this.#commands.openTable(tableName));
  }

  run<Name extends AdministratorCommand>(
    name: Name,
    organizationId: number,
    options: CommandOptions<Name>,
  ): Promise<CommandResult<Name>> {
    const own = { table: this.#table, organizationId };
    return this.runtime.run(() => this.#commands.runCommand(own, name, options));
  }
}
