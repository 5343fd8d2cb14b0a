import t from 'tap'
import { byRealPath } from '../src/host/files/dir-access.ts'
import { runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(), { doors: byRealPath, state: 'beside' })
