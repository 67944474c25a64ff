import type { Gauge } from '../gauge.js';
import type { PageSizes } from '../pages/records.js';
import { startServer } from '../pages/start-server.js';
import { measureApart } from './measure-apart.js';

const STREAM_RECORDS: URL = new URL('./stream-records.js', import.meta.url);

/** The maximum of 3200 records from pages of 2 MB. The memory at the end must not include the pages. */
export const STREAMED_RECORDS: Gauge = {
  name: 'J4 3200 records from 2 MB pages, streamed and kept: live heap at the end',
  floor: 10,
  target: 3,
  unit: 'MB',
  run: async ({ rounds }) => {
    const sizes: PageSizes = { pages: rounds > 2 ? 50 : 5, records: 64, pageBytes: 2_000_000 };
    const { origin, stop } = await startServer(sizes);
    try {
      const value = await measureApart(STREAM_RECORDS, [origin, sizes.pages * sizes.records]);
      return [{ name: `${sizes.pages} pages`, value, isOurs: true }];
    } finally {
      await stop();
    }
  },
};
