import { expect, test, vi } from 'vitest';

test('the admin program loads the data of a language only when it first prints a count', async () => {
  const NumberFormat = vi.spyOn(Intl, 'NumberFormat');
  vi.resetModules(); // another file may have printed a count
  const { countOf } = await import('../../../infra/cli/format.ts');
  expect(NumberFormat).not.toHaveBeenCalled();
  expect([countOf(1, 'lead'), countOf(2500, 'row')]).toEqual(['1 lead', '2,500 rows']);
  expect(NumberFormat).toHaveBeenCalledTimes(1);
});
