// tier: full
import t from 'tap'
import { viaProcFd } from '../src/host/files/dir-access.ts'
import { runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(), { doors: viaProcFd, state: 'inside' })
