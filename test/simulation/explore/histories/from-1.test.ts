import { historiesKeepPromises } from './keep-promises.ts';

historiesKeepPromises(1);
