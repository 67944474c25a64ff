import { postgresStores } from './open-stores.js';
import { runContract } from './run-contract.js';

runContract(await postgresStores());
