import type {
  AdministratorCommand,
  CommandOptions,
  CommandResult,
  openTable,
  runCommand,
} from './administration.ts';
import type { Program } from './lambda/modules.ts';
import { Runtime, type RuntimeOptions } from './lambda/runtime.ts';

interface Commands {
  readonly openTable: typeof openTable;
  readonly runCommand: typeof runCommand;
}

/** An administrator's process in a simulation. */
export class AdministratorProcess extends Runtime {
  readonly #commands: Commands;
  readonly #table: ReturnType<typeof openTable>;

  /** @param tableName `leads` unless told otherwise */
  constructor(options: RuntimeOptions, program: Program, tableName?: string) {
    super(options);
    this.#commands = this.run(program) as Commands;
    this.#table = this.run(() => this.#commands.openTable(tableName));
  }

  execute<Name extends AdministratorCommand>(
    name: Name,
    organizationId: number,
    options: CommandOptions<Name>,
  ): Promise<CommandResult<Name>> {
    const own = { table: this.#table, organizationId };
    return this.run(() => this.#commands.runCommand(own, name, options));
  }
}
