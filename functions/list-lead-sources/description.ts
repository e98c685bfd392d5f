import { demo } from '../../infra/openapi/examples.ts';
import { namedRefs, referenceList } from '../../infra/openapi/reference-list.ts';
import { presentNamed } from '../../shared/leads/reference-lists.ts';

export const description = referenceList<'lead-sources'>({
  summary: 'List the active lead sources',
  contents: 'the active sources, by name',
  schema: namedRefs,
  schemas: { NamedRefList: namedRefs },
  items: presentNamed(demo.sources),
});
