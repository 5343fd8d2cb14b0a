// tier: full
import t from 'tap'
import { viaRealPath } from '../src/host/files/dir-access.ts'
import { runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(), { doors: viaRealPath, state: 'beside' })
