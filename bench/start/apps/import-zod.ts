import { z } from 'zod'

import { report } from './report.ts'

if (typeof z.object === 'function') await report()
