import t from 'tap'
import { byRealPath } from '../src/host/door.ts'
import { runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(), { doors: byRealPath, state: 'beside' })
