import { withBackoff } from './retry.ts'

await withBackoff(async () => console.log('hello'))
