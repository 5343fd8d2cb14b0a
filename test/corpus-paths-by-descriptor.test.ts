// tier: full
import t from 'tap'
import { viaProcFd } from '../src/host/files/dir-access.ts'
import { EVERY_CASE, runCases } from './corpus-paths.ts'

await runCases(t, EVERY_CASE, { doors: viaProcFd, state: 'beside' })
