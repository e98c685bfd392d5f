/** What an administrator does, by the name that a history has for it. */
export type AdministratorCommand =
  | 'settings apply'
  | 'settings undo'
  | 'key create'
  | 'key revoke'
  | 'archive'
  | 'restore'
  | 'erase'
  | 'plan of an erasure'
  | 'import'
  | 'export'
  | 'timelines'
  | 'reassign'
  | 'check';
