import * as v from 'valibot';
import { limits } from '../limits.ts';
import { object, text } from './schemas.ts';

const url = v.optional(text(0, limits.attributionUrlMaxChars));
const title = v.optional(text(0, limits.attributionTitleMaxChars));
const name = v.optional(text(0, limits.attributionNameMaxChars));

/** The page and campaign that a capture came from (contract, section 2, CaptureAttribution). */
export const attribution = object({
  pageUrl: url,
  pageTitle: title,
  referrer: url,
  utmSource: name,
  utmMedium: name,
  utmCampaign: name,
  utmTerm: name,
  utmContent: name,
  formName: name,
});
