import t from 'tap'
import { byDescriptor } from '../src/host/door.ts'
import { runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(), { doors: byDescriptor, state: 'inside' })
