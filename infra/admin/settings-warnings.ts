import { defaultPipelineId, startingStage } from '../../shared/leads/placement.ts';
import { activeSourceNamed, defaultSourceName, organizationFrom } from '../../shared/organization/organization.ts';
import type { Settings } from '../../shared/organization/settings-types.ts';

/**
 * What keeps an organization with these settings from taking captures, or from recording their source: a sentence each, with what would
 * help. All of it is allowed, as organizations pass through such states, but seldom meant.
 */
export function captureWarnings(settings: Settings): string[] {
  const organization = organizationFrom(settings, 0);
  const pipelineId = defaultPipelineId(organization);
  const place = `$.pipelines[id=${pipelineId}]`;
  const warnings: [applies: boolean, sentence: string][] = [
    [
      !settings.modules.includes('crm'),
      '$.modules has no "crm": every request of the organization\'s API keys is refused with FORBIDDEN until it does.',
    ],
    [
      pipelineId === undefined,
      '$.pipelines has no default one: captures without pipelineId are refused with NOT_READY until one has "isDefault": true.',
    ],
    [
      pipelineId !== undefined && startingStage(organization, pipelineId) === undefined,
      `${place}.stages has no active stage where leads start: captures are refused with NOT_READY until one has "isDefault": true.`,
    ],
    [
      !settings.users.some(({ active }) => active),
      '$.users has nobody active to own new leads: captures are refused with NOT_READY until there is somebody.',
    ],
    [
      activeSourceNamed(organization, defaultSourceName) === undefined,
      `$.sources has no active "${defaultSourceName}": leads whose capture names no known source have none until it does.`,
    ],
  ];
  return warnings.flatMap(([applies, sentence]) => (applies ? [`Warning: ${sentence}`] : []));
}
