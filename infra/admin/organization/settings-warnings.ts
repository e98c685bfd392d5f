import { defaultPipelineId, startingStage } from '../../../shared/leads/placement.ts';
import {
  activeSourceNamed,
  defaultSourceName,
  organizationFrom,
} from '../../../shared/organization/organization.ts';
import type { Settings } from '../../../shared/organization/settings-types.ts';

/**
 * What is seldom intended about settings: why the organization cannot accept captures (below), and stages that a name cannot tell apart.
 * One sentence each, with a remedy.
 */
export const settingsWarnings = (settings: Settings): string[] => [
  ...captureWarnings(settings),
  ...stageNameWarnings(settings),
];

/** Stages of a pipeline that have the same name: an import cannot use it, and people cannot tell them apart. */
const stageNameWarnings = ({ pipelines }: Settings): string[] =>
  pipelines.flatMap(({ id, stages }) => {
    const byName = new Map<string, typeof stages>();
    for (const stage of stages.filter(({ active }) => active)) {
      const folded = stage.name.toLowerCase();
      byName.set(folded, [...(byName.get(folded) ?? []), stage]);
    }
    return [...byName.values()]
      .filter((same) => same.length > 1)
      .map((same) => {
        const paths = same.map((stage) => `stages[id=${stage.id}]`).join(' and ');
        return `Warning: $.pipelines[id=${id}] has ${same.length} active stages named ${JSON.stringify(same[0]?.name)} (${paths}): an import cannot use the name. Rename all but one.`;
      });
  });

/**
 * Why an organization with these settings cannot accept captures, or record their source: one sentence each, with a remedy. Organizations
 * pass through such states, so they are allowed, but they are seldom intended.
 */
function captureWarnings(settings: Settings): string[] {
  const organization = organizationFrom(settings, 0);
  const pipelineId = defaultPipelineId(organization);
  const place = `$.pipelines[id=${pipelineId}]`;
  const warnings: [applies: boolean, sentence: string][] = [
    [
      !settings.modules.includes('crm'),
      '$.modules does not contain "crm": every request with an API key of the organization is refused with FORBIDDEN. Add "crm".',
    ],
    [
      pipelineId === undefined,
      '$.pipelines has no default pipeline: captures without pipelineId are refused with NOT_READY. Set "isDefault": true on one pipeline.',
    ],
    [
      pipelineId !== undefined && startingStage(organization, pipelineId) === undefined,
      `${place}.stages has no active default stage: captures are refused with NOT_READY. Set "isDefault": true on one active stage.`,
    ],
    [
      !settings.users.some(({ active }) => active),
      '$.users has no active user to own new leads: captures are refused with NOT_READY. Add or activate a user.',
    ],
    [
      activeSourceNamed(organization, defaultSourceName) === undefined,
      `$.sources has no active "${defaultSourceName}": leads whose capture names no known source have no source. Add or activate it.`,
    ],
  ];
  return warnings.flatMap(([applies, sentence]) => (applies ? [`Warning: ${sentence}`] : []));
}
