import { ANY_BOOLEAN, checkOptions } from '../../shared/errors/check-options.js';
import type { ProductionZone, ZoneDirectory } from './ports.js';

/** Source: https://developers.make.com/api-documentation (organizations): deletion works in eu1 and us1 [doc]; domains [doc], ids [inf]. */
const ZONES: readonly ProductionZone[] = [
  zone({ id: 1, domain: 'eu1.make.com', name: 'EU 1', regionId: 1, deletion: true }),
  zone({ id: 2, domain: 'eu2.make.com', name: 'EU 2', regionId: 1, deletion: false }),
  zone({ id: 3, domain: 'us1.make.com', name: 'US 1', regionId: 2, deletion: true }),
  zone({ id: 4, domain: 'us2.make.com', name: 'US 2', regionId: 2, deletion: false }),
  zone({ id: 5, domain: 'eu1.make.celonis.com', name: 'EU 1 Celonis', regionId: 1, deletion: false }),
  zone({ id: 6, domain: 'us1.make.celonis.com', name: 'US 1 Celonis', regionId: 2, deletion: false }),
];

const REGIONS = [
  { id: 1, name: 'EU' },
  { id: 2, name: 'US' },
];

/** The directory of zones from the view of one zone. An unknown domain becomes another zone in the first region. */
export function createZoneDirectory(
  domain: string = 'eu1.make.com',
  options: { readonly runsApps?: boolean | undefined } = {},
): ZoneDirectory {
  checkOptions(options, { runsApps: ANY_BOOLEAN }, 'The options of createZoneDirectory');
  const { runsApps = true } = options;
  const known = ZONES.find((it) => it.domain === domain);
  const found = known ?? zone({ id: ZONES.length + 1, domain, name: domain, regionId: 1, deletion: true });
  const current = { ...found, runsApps };
  return { current, zones: known ? ZONES : [...ZONES, current], regions: REGIONS };
}

/** The zone new organizations of a region go to: the current one if it is of that region. */
export function zoneOfRegion(directory: ZoneDirectory, regionId: number): ProductionZone | undefined {
  const inRegion = [directory.current, ...directory.zones].filter((it) => it.regionId === regionId);
  return inRegion[0];
}

function zone(fields: Omit<ProductionZone, 'serviceName' | 'runsApps'>): ProductionZone {
  return { ...fields, serviceName: 'default', runsApps: true };
}
