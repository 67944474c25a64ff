/** Service and region of an AWS host name. */
export interface AwsHost {
  readonly service: string;
  readonly region: string;
}

/** Region of an endpoint without one. [choice] */
const DEFAULT_REGION = 'us-east-1';

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** Signing names of services whose endpoint name differs. */
const SIGNING_NAMES: Readonly<Record<string, string>> = {
  email: 'ses',
  'lambda-url': 'lambda',
  queue: 'sqs',
  's3-external-1': 's3',
  's3-accelerate': 's3',
};

/**
 * Reads service and region from a host such as `sqs.eu-west-1.amazonaws.com`, `bucket.s3.amazonaws.com`,
 * `s3-eu-west-1.amazonaws.com`, `x.execute-api.us-east-1.amazonaws.com` or `search-x.us-east-1.es.amazonaws.com`.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
 */
export function readAwsHost(hostname: string): AwsHost {
  const labels = hostname
    .toLowerCase()
    .replace(/^s3-(?=[a-z]{2}-[a-z]+-\d\.)/, 's3.')
    .replace(/\.s3-(?=[a-z]{2}-[a-z]+-\d\.)/, '.s3.')
    .split('.');
  const domain = labels.findIndex(
    (label, index) =>
      index > 0 && (label === 'amazonaws' || (/^(?:api|on)$/.test(label) && labels[index + 1] === 'aws')),
  );
  const own = labels.slice(0, domain === -1 ? Math.max(1, labels.length - 2) : domain);
  const at = own.findLastIndex((label, index) => index > 0 && REGION.test(label));
  const region = own[at] ?? DEFAULT_REGION;
  const isServiceLast = at !== -1 && at === own.length - 2;
  const before = (at === -1 ? own : own.slice(0, at)).filter((label) => label !== 'dualstack');
  const name = (isServiceLast ? own.at(-1) : before.at(-1)) ?? '';
  const service = Object.hasOwn(SIGNING_NAMES, name) ? SIGNING_NAMES[name] : name;
  return { service: service ?? name, region };
}
