module.exports = {
  ...require('reflect-metadata'),
  ...require('@nestjs/common'),
  ...require('@nestjs/core'),
  ...require('@nestjs/platform-fastify'),
  ...require('@nestjs/platform-express'),
  from: require('rxjs').from,
  map: require('rxjs').map,
}
