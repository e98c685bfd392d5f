import { demo } from '../../infra/openapi/examples.ts';
import { namedRefs, referenceList } from '../../infra/openapi/reference-list.ts';
import { presentNamed } from '../../shared/leads/reference-lists.ts';

export const description = referenceList<'users'>({
  summary: 'List the active users',
  contents: 'the active users, by name',
  more: 'Only names, no contact details.',
  schema: namedRefs,
  schemas: { NamedRefList: namedRefs },
  items: presentNamed(demo.users),
});
