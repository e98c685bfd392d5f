import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { everyOption, templateWith } from './service-template.ts';

const plain = await templateWith();
const standard = await templateWith({ waf: true });
const full = await templateWith(everyOption);

describe('the firewall', () => {
  test('the firewall is there when asked for, before this stage', () => {
    plain.resourceCountIs('AWS::WAFv2::WebACL', 0);
    full.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
    full.hasResourceProperties('AWS::WAFv2::WebACL', { Scope: 'REGIONAL' });
  });

  test('the firewall keeps no sample of a request, which would show its key', () => {
    const text = JSON.stringify(full.findResources('AWS::WAFv2::WebACL'));

    expect(text).toContain('"SampledRequestsEnabled":false');
    expect(text).not.toContain('"SampledRequestsEnabled":true');
  });

  test('the firewall answers 429 to an address above the requests of two organizations', () => {
    const acl = (limit: number) => ({
      CustomResponseBodies: {
        TooManyRequests: {
          ContentType: 'APPLICATION_JSON',
          Content: Match.serializedJson({
            error: { code: 'RATE_LIMITED', message: Match.stringLikeRegexp('Retry-After') },
          }),
        },
      },
      Rules: Match.arrayWith([
        Match.objectLike({
          Statement: { RateBasedStatement: Match.objectLike({ Limit: limit }) },
          Action: {
            Block: {
              CustomResponse: {
                ResponseCode: 429,
                CustomResponseBodyKey: 'TooManyRequests',
                ResponseHeaders: [
                  { Name: 'Retry-After', Value: '300' },
                  { Name: 'Cache-Control', Value: 'no-store' },
                ],
              },
            },
          },
        }),
      ]),
    });

    standard.hasResourceProperties('AWS::WAFv2::WebACL', acl(6000));
    full.hasResourceProperties('AWS::WAFv2::WebACL', acl(2000));
  });

  test('the firewall refuses by address alone, never by what an enquiry says', () => {
    expect(JSON.stringify(full.findResources('AWS::WAFv2::WebACL'))).not.toMatch(
      /CommonRuleSet|KnownBadInputs|SQLi|FieldToMatch/,
    );
  });
});
