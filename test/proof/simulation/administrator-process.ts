import type { AdministratorCommand, CommandOptions, CommandResult } from './administration.ts';
import type { Program } from './lambda/modules.ts';
import { Runtime, type RuntimeOptions } from './lambda/runtime.ts';

type Commands = typeof import('./administration.ts');

/** An administrator's process in a simulation. */
export class AdministratorProcess extends Runtime {
  readonly #commands: Commands;
  readonly #table: ReturnType<Commands['openTable']>;

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
