// tier: quick
import t from 'tap'
import { viaProcFd } from '../src/host/files/dir-access.ts'
import { EVERY_CASE, isForPatches, PATCHES, runCases, someCases } from './corpus-paths.ts'

await runCases(t, someCases(EVERY_CASE.filter(isForPatches)), { doors: viaProcFd, state: 'beside', calls: PATCHES })
