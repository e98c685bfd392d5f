import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keptBy } from './recipes.ts';
import { person } from './visitors.ts';
import { Website } from './website.ts';

/** A visitor and a person meet a recipe without OUTBOX; then a person names a file that is not there. */
export async function misuse(website: Website) {
  const { site, recipe, organization } = website;
  const environment = { ...site.environment, OUTBOX: '' };
  const bare = new Website(recipe, { ...site, environment }, organization);
  const [refused = ''] = await readdir(join(site.outbox, 'refused'));
  await website.kill();
  await bare.serve();
  await bare.submit(person(10));
  await bare.kill();
  const bareAgain = await bare.again(refused.replace('.json', ''));
  const again = await website.again('nothing');
  return { posted: bare.statuses, bareAgain, again, kept: await keptBy(site) };
}
