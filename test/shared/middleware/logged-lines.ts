import { afterEach, beforeEach, vi } from 'vitest';

export let lines: string[] = [];

/** Keeps what each test of the file prints, instead of printing it. */
export function keepLines(): void {
  beforeEach(() => {
    lines = [];
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
    }
  });
  afterEach(() => void vi.restoreAllMocks());
}

export const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
export const caller = {
  keyId: 'key-1',
  organizationId: 3,
  label: 'Landing page',
  createdBy: 7,
  createdAt: '2026-01-01T00:00:00.000Z',
  scopes: ['leads.read'],
  expiresAt: Number.POSITIVE_INFINITY,
};
