import type { AdministratorProcess } from '../../administration.ts';
import type { Given } from '../scenario.ts';

interface Administration {
  readonly openTable: () => unknown;
  readonly parseSettingsFile: (text: string) => { readonly settings: object };
  readonly applySettings: (table: unknown, settings: object) => Promise<unknown>;
}

/** Applies settings that no variant has. */
export function applyFile(given: Given, file: object): Promise<unknown> {
  return given.administrate('settings apply', ({ runtime }: AdministratorProcess) => {
    const { applySettings, openTable, parseSettingsFile } = runtime.load<Administration>(
      given.bundles.administration,
    );
    return runtime.run(() =>
      applySettings(openTable(), parseSettingsFile(JSON.stringify(file)).settings),
    );
  });
}
