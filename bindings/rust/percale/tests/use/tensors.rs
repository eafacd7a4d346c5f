//! Tensors, from and to other types.
use percale::*;

#[test]
fn a_vector_becomes_a_tensor_without_a_copy_and_is_dropped_with_it() {
    let elements = vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let address = elements.as_ptr();
    let tensor = Tensor::from_vec(&[2, 3], elements).unwrap();
    let clone = tensor.clone();
    drop(tensor);
    assert_eq!(clone.as_slice::<f32>().unwrap().as_ptr(), address);
    assert_eq!((clone.dims(), clone.dtype(), clone.len()), (&[2, 3][..], DType::F32, 6));
    assert_eq!(Tensor::from_vec(&[0, 3], Vec::<f32>::new()).unwrap().as_slice::<f32>().unwrap(), []);
    assert_eq!(Tensor::scalar(7i64).unwrap().item::<i64>().unwrap(), 7);
    assert_eq!(Tensor::from_slice(&[2], &[true, false]).unwrap().as_slice::<bool>().unwrap(), [true, false]);
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_become_tensors_and_back() {
    let array = ndarray::Array2::from_shape_vec((2, 3), vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let address = array.as_ptr();
    let tensor = Tensor::from_ndarray(array.clone()).unwrap();
    assert_eq!(tensor.as_ndarray::<f32>().unwrap(), array.view().into_dyn());
    assert_eq!(Tensor::from_ndarray(array).unwrap().as_slice::<f32>().unwrap().as_ptr(), address);
    let turned = ndarray::Array2::from_shape_vec((2, 2), vec![1i32, 2, 3, 4]).unwrap().reversed_axes();
    assert_eq!(Tensor::from_ndarray(turned).unwrap().as_slice::<i32>().unwrap(), [1, 3, 2, 4]);
}

#[cfg(feature = "half")]
#[test]
fn halves_are_elements() {
    let tensor = Tensor::from_vec(&[2], vec![half::f16::from_f32(0.5), half::f16::ONE]).unwrap();
    assert_eq!(tensor.dtype(), DType::F16);
    assert_eq!(tensor.as_slice::<half::f16>().unwrap()[1], half::f16::ONE);
    assert_eq!(Tensor::scalar(half::bf16::ONE).unwrap().dtype(), DType::BF16);
}
