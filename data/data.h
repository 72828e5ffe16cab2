// Data sets, transforms, samplers and the DataLoader.
#pragma once

#include <taper/data/dataloader.h>
#include <taper/data/dataset.h>
#include <taper/data/datasets/chunk.h>
#include <taper/data/datasets/cifar.h>
#include <taper/data/datasets/csv.h>
#include <taper/data/datasets/image_folder.h>
#include <taper/data/datasets/mnist.h>
#include <taper/data/datasets/parts.h>
#include <taper/data/datasets/shared.h>
#include <taper/data/datasets/tensor.h>
#include <taper/data/example.h>
#include <taper/data/image_file.h>
#include <taper/data/image_transforms.h>
#include <taper/data/map.h>
#include <taper/data/nested.h>
#include <taper/data/prefetch.h>
#include <taper/data/random_samplers.h>
#include <taper/data/sampler.h>
#include <taper/data/transform.h>
