import t from 'tap'
import { byDescriptor } from '../src/host/files/dir-access.ts'
import { runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(), { doors: byDescriptor, state: 'inside' })
