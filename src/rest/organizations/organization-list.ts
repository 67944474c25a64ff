import type { PlainObject } from '../../shared/plain-object.js';
import type { Where } from '../../shared/store/record-store.js';
import { type ListPage, type PageRecord, type Paging, pageQuery, pageRecord } from '../call/paging.js';
import type { RestServices } from '../services/services.js';
import { readRows } from '../store/read-rows.js';
import type { OrganizationRow } from '../store/tables.js';
import { columnsToRead, organizationRecords } from './organization-record.js';

/** Sort keys of organizations, with their columns. */
const SORTS: Readonly<Record<string, keyof OrganizationRow>> = {
  id: 'id',
  name: 'nameKey',
  createdAt: 'createdAt',
  zone: 'zone',
  countryId: 'countryId',
  timezoneId: 'timezoneId',
  productName: 'productName',
  nextReset: 'nextReset',
  lastReset: 'lastReset',
};

/** Source: https://developers.make.com/api-documentation (Organizations, rule 1) [seed]; limit https://developers.make.com/api-documentation (pagination and sorting, filtering) [src]. */
export const ORGANIZATION_PAGING: Paging = {
  sortBy: Object.keys(SORTS),
  defaultSortBy: 'name',
  defaultSortDir: 'asc',
  defaultLimit: 10_000,
};

export interface OrganizationListOptions {
  readonly where: Where<OrganizationRow>;
  readonly columns: readonly string[];
  readonly page: ListPage;
  /** The user whose private spaces are shown. */
  readonly userId: number;
  readonly nowMs: number;
  /** Whether organizations of other zones show fewer columns. */
  readonly inList: boolean;
}

/** A page of organizations. Reads only the columns it shows. */
export async function listOrganizations(
  services: RestServices,
  options: OrganizationListOptions,
): Promise<{ readonly organizations: readonly PlainObject[]; readonly pg: PageRecord }> {
  const { where, columns, page } = options;
  const wanted = { columns: columnsToRead([...columns, page.sortBy]), where, ...pageQuery(page, SORTS) };
  type Rows = Parameters<typeof organizationRecords>[2];
  const show = (shown: Rows, names: readonly string[]): Promise<readonly PlainObject[]> =>
    organizationRecords(services, services.store, shown, { ...options, columns: names });
  const organizations: PlainObject[] = [];
  let lastRows: Rows = [];
  for await (const rows of readRows(services.store, 'organizations', wanted)) {
    organizations.push(...(await show(rows, columns)));
    if (rows.length > 0) lastRows = rows.slice(-1);
  }
  const [last] = await show(lastRows, [page.sortBy]);
  return { organizations, pg: pageRecord(page, last) };
}
